/*
 * What an AppImage of Slipstream begins with; a squashfs of the program follows it in the same file (AppImage, type 2).
 *
 * It mounts that file system with FUSE and becomes AppRun. Where there is no FUSE (no fusermount3, a container), it unpacks
 * everything once into the cache folder and becomes the AppRun there. Linked statically, it needs nothing of the system.
 *
 * Exit status: what the program ends with; 1 when it could not be started, with the reason on the standard error stream.
 */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 32
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <squashfuse/ll.h>
#include <squashfuse/squashfuse.h>

#define CHUNK (1024 * 1024)
#define DONE_MARK "/.unpacked"

static const char USAGE[] =
    "Options of the AppImage; everything else goes to the program:\n"
    "  --appimage-extract          unpack it into squashfs-root, here\n"
    "  --appimage-extract-and-run  unpack it into the cache folder and start it from there, without FUSE\n"
    "  --appimage-mount            mount it and wait for Ctrl+C\n"
    "  --appimage-offset           where the file system begins in this file, in bytes\n"
    "  --appimage-help             this\n";

static int complain(const char *what, const char *subject) {
    fprintf(stderr, "%s: %s (%s).\n", what, subject, errno ? strerror(errno) : "the file is damaged");
    return -1;
}

/* Write into a path of PATH_MAX bytes; whoever has longer ones gets a word and no program. */
static void join(char *path, const char *first, const char *second) {
    if (snprintf(path, PATH_MAX, "%s%s", first, second) >= PATH_MAX) {
        fprintf(stderr, "This path is too long: %s%s\n", first, second);
        exit(1);
    }
}

/* Where this program ends and the file system begins: behind the last section and the table of sections. -1 on failure. */
static off_t program_size(const char *image) {
    Elf64_Ehdr head;
    off_t end = -1;
    int file = open(image, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return complain("The AppImage cannot be read", image);
    if (pread(file, &head, sizeof head, 0) == sizeof head) {
        end = (off_t)(head.e_shoff + (Elf64_Off)head.e_shentsize * head.e_shnum);
        for (int i = 0; i < head.e_shnum; i++) {
            Elf64_Shdr section;
            off_t place = (off_t)(head.e_shoff + (Elf64_Off)head.e_shentsize * (unsigned)i);
            if (pread(file, &section, sizeof section, place) == sizeof section && section.sh_type != SHT_NOBITS &&
                (off_t)(section.sh_offset + section.sh_size) > end)
                end = (off_t)(section.sh_offset + section.sh_size);
        }
    }
    close(file);
    return end;
}

/* ---- mounting ---- */

static const struct fuse_lowlevel_ops OPERATIONS = {
    .getattr = sqfs_ll_op_getattr,       .opendir = sqfs_ll_op_opendir, .releasedir = sqfs_ll_op_releasedir,
    .readdir = sqfs_ll_op_readdir,       .lookup = sqfs_ll_op_lookup,   .open = sqfs_ll_op_open,
    .create = sqfs_ll_op_create,         .release = sqfs_ll_op_release, .read = sqfs_ll_op_read,
    .readlink = sqfs_ll_op_readlink,     .forget = sqfs_ll_op_forget,   .listxattr = sqfs_ll_op_listxattr,
    .getxattr = sqfs_ll_op_getxattr,     .statfs = stfs_ll_op_statfs,
};

/* Answer the kernel's requests until nobody holds the other end of `alive` any more, or the mount is taken away. */
static void serve(struct fuse_session *session, int alive) {
    struct fuse_buf buffer = {0};
    struct pollfd waiting[] = {{.fd = fuse_session_fd(session), .events = POLLIN}, {.fd = alive, .events = POLLIN}};
    while (!fuse_session_exited(session)) {
        if (poll(waiting, 2, -1) < 0) {
            if (errno == EINTR)
                continue;
            break;
        }
        if (waiting[1].revents)
            break;
        if (waiting[0].revents) {
            int got = fuse_session_receive_buf(session, &buffer);
            if (got == -EINTR || got == -EAGAIN)
                continue;
            if (got <= 0)
                break;
            fuse_session_process_buf(session, &buffer);
        }
    }
    free(buffer.mem);
}

/* The process behind the mount. Says one byte into `ready` when it stands, and ends without one when it does not. */
static void keep_mounted(const char *image, off_t offset, const char *place, int ready, int alive) {
    setsid();
    int terminal = dup(STDERR_FILENO);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    /* What FUSE has to say of its absence is no matter to the person: the program is unpacked then. */
    dup2(nothing, STDERR_FILENO);
    char *arguments[] = {"slipstream", "-o", "ro,nodev,nosuid,fsname=slipstream,subtype=squashfuse", NULL};
    struct fuse_args args = FUSE_ARGS_INIT(3, arguments);
    sqfs_ll *files = sqfs_ll_open(image, (size_t)offset);
    struct fuse_session *session = files ? fuse_session_new(&args, &OPERATIONS, sizeof OPERATIONS, files) : NULL;
    if (session && fuse_session_mount(session, place) == 0) {
        fuse_set_signal_handlers(session);
        if (write(ready, "y", 1) == 1) {
            dup2(terminal, STDERR_FILENO);
            close(terminal);
            close(ready);
            serve(session, alive);
        }
        fuse_session_unmount(session);
        fuse_remove_signal_handlers(session);
    }
    rmdir(place);
    _exit(0);
}

/*
 * Mount the image at `place`, a new folder. Returns the end of a pipe: the mount lasts as long as this process, or what it
 * becomes, holds it. -1 where it cannot be mounted.
 */
static int mount_image(const char *image, off_t offset, char *place) {
    const char *temporary = getenv("TMPDIR");
    int ready[2], alive[2];
    join(place, temporary && *temporary == '/' ? temporary : "/tmp", "/.mount_slipstream_XXXXXX");
    if (!mkdtemp(place))
        return -1;
    if (pipe(ready) != 0 || pipe(alive) != 0) {
        rmdir(place);
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        /* A child of its own: the program must not find one that it did not start among its children. */
        if (fork() != 0)
            _exit(0);
        close(ready[0]);
        close(alive[1]);
        keep_mounted(image, offset, place, ready[1], alive[0]);
    }
    close(ready[1]);
    close(alive[0]);
    char answer = 'n';
    ssize_t got = child > 0 ? read(ready[0], &answer, 1) : 0;
    close(ready[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (got == 1 && answer == 'y')
        return alive[1];
    close(alive[1]);
    rmdir(place);
    return -1;
}

/* ---- unpacking ---- */

static int unpack_file(sqfs *fs, sqfs_inode *inode, const char *path, mode_t mode) {
    static char chunk[CHUNK];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    if (file < 0)
        return complain("This file could not be made", path);
    for (uint64_t done = 0; done < inode->xtra.reg.file_size;) {
        sqfs_off_t size = CHUNK;
        errno = 0;
        if (sqfs_read_range(fs, inode, (sqfs_off_t)done, &size, chunk) != SQFS_OK || size <= 0) {
            close(file);
            return complain("This part of the AppImage could not be read", path);
        }
        if (write(file, chunk, (size_t)size) != size) {
            complain("This file could not be written", path);
            close(file);
            return -1;
        }
        done += (uint64_t)size;
    }
    return close(file) == 0 ? 0 : complain("This file could not be written", path);
}

static int unpack_entry(sqfs *fs, sqfs_dir_entry *entry, const char *path) {
    sqfs_inode inode;
    char goal[PATH_MAX];
    size_t length = sizeof goal;
    mode_t mode = sqfs_dentry_mode(entry);
    errno = 0;
    if (sqfs_inode_get(fs, &inode, sqfs_dentry_inode(entry)) != SQFS_OK)
        return complain("This part of the AppImage could not be read", path);
    if (S_ISDIR(mode))
        return mkdir(path, 0755) == 0 ? 0 : complain("This folder could not be made", path);
    if (S_ISREG(mode))
        return unpack_file(fs, &inode, path, inode.base.mode);
    if (S_ISLNK(mode) && sqfs_readlink(fs, &inode, goal, &length) == SQFS_OK)
        return symlink(goal, path) == 0 ? 0 : complain("This link could not be made", path);
    return complain("This part of the AppImage could not be read", path);
}

/* Everything in the image, into the new folder `place`. 0 when it is all there, -1 after words about what failed. */
static int unpack(const char *image, off_t offset, const char *place) {
    sqfs fs;
    sqfs_traverse walk;
    sqfs_err trouble;
    char path[PATH_MAX], inner[PATH_MAX];
    int result = 0;
    if (mkdir(place, 0755) != 0)
        return complain("This folder could not be made", place);
    errno = 0;
    if (sqfs_open_image(&fs, image, (size_t)offset) != SQFS_OK ||
        sqfs_traverse_open(&walk, &fs, sqfs_inode_root(&fs)) != SQFS_OK)
        return complain("The AppImage cannot be read", image);
    while (result == 0 && sqfs_traverse_next(&walk, &trouble)) {
        if (walk.dir_end)
            continue;
        join(inner, "/", walk.path);
        join(path, place, inner);
        result = unpack_entry(&fs, &walk.entry, path);
    }
    if (result == 0 && trouble != SQFS_OK)
        result = complain("The AppImage cannot be read", image);
    sqfs_traverse_close(&walk);
    sqfs_fd_close(fs.fd);
    sqfs_destroy(&fs);
    return result;
}

static int delete_one(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

static void delete_tree(const char *path) { nftw(path, delete_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

/* Make a folder and those above it, as private ones. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* The folder for unpacked AppImages: beside a marker for portable use, as the program does it, or else in the cache. */
static void cache_folder(const char *image, char *path) {
    char marker[PATH_MAX];
    const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    snprintf(marker, sizeof marker, "%s", image);
    *(strrchr(marker, '/') + 1) = 0;
    char folder[PATH_MAX];
    join(folder, marker, "");
    join(marker, folder, "portable");
    if (access(marker, F_OK) == 0)
        join(path, folder, "slipstream-data/cache/appimage");
    else if (given && *given == '/')
        join(path, given, "/slipstream/appimage");
    else
        join(path, home && *home == '/' ? home : "/tmp", "/.cache/slipstream/appimage");
    make_folders(path);
}

/* Delete what other versions left in `folder`, but what is running now. `kept` is the beginning of the names that stay. */
static void clear_others(const char *folder, const char *kept) {
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX], name[NAME_MAX + 2];
        size_t length = strlen(entry->d_name);
        snprintf(name, sizeof name, "/%s", entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".lock") != 0 || strncmp(name, kept, strlen(kept)) == 0)
            continue;
        join(path, folder, name);
        int lock = open(path, O_RDWR | O_CLOEXEC);
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
            unlink(path);
            path[strlen(path) - 5] = 0;
            delete_tree(path);
        }
        if (lock >= 0)
            close(lock);
    }
    if (entries)
        closedir(entries);
}

/*
 * Unpack the image into the cache folder, unless it is there already, and write that place into `place`. The lock that is
 * returned stays with the program, so that another version does not clear away what runs. -1 after words.
 */
static int unpack_once(const char *image, off_t offset, char *place) {
    char folder[PATH_MAX], name[64], path[PATH_MAX], beginning[PATH_MAX];
    struct stat facts;
    if (stat(image, &facts) != 0)
        return complain("The AppImage cannot be read", image);
    cache_folder(image, folder);
    snprintf(name, sizeof name, "/%llx-%llx", (unsigned long long)facts.st_size, (unsigned long long)facts.st_mtime);
    join(place, folder, name);
    join(path, place, ".lock");
    int lock = open(path, O_RDWR | O_CREAT, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0)
        return complain("The cache folder cannot be written", folder);
    join(path, place, DONE_MARK);
    if (access(path, F_OK) != 0) {
        fprintf(stderr, "Unpacking into %s …\n", place);
        join(beginning, place, ".new");
        delete_tree(beginning);
        delete_tree(place);
        if (unpack(image, offset, beginning) != 0 || rename(beginning, place) != 0) {
            delete_tree(beginning);
            return -1;
        }
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        clear_others(folder, name);
    }
    flock(lock, LOCK_SH);
    return lock;
}

/* ---- starting ---- */

/* Become the program. Returns only when that failed. */
static int become(const char *image, const char *place, char **arguments) {
    char run[PATH_MAX], before[PATH_MAX];
    join(run, place, "/AppRun");
    setenv("APPIMAGE", image, 1);
    setenv("APPDIR", place, 1);
    setenv("ARGV0", arguments[0], 1);
    if (getcwd(before, sizeof before))
        setenv("OWD", before, 1);
    execv(run, arguments);
    complain("The program cannot be started", run);
    return 1;
}

static bool wants(int count, char **arguments, const char *option) {
    return count > 1 && strcmp(arguments[1], option) == 0;
}

int main(int count, char **arguments) {
    char image[PATH_MAX], place[PATH_MAX];
    if (!realpath("/proc/self/exe", image))
        return complain("The AppImage cannot find itself", arguments[0]), 1;
    off_t offset = program_size(image);
    if (offset < 0)
        return 1;
    if (wants(count, arguments, "--appimage-help"))
        return fputs(USAGE, stdout) < 0;
    if (wants(count, arguments, "--appimage-offset"))
        return printf("%lld\n", (long long)offset) < 0;
    if (wants(count, arguments, "--appimage-extract"))
        return unpack(image, offset, "squashfs-root") != 0;
    if (wants(count, arguments, "--appimage-mount")) {
        int alive = mount_image(image, offset, place);
        if (alive < 0)
            return fputs("There is no FUSE here: try --appimage-extract.\n", stderr), 1;
        puts(place);
        fflush(stdout);
        pause();
    }
    bool unpacked = wants(count, arguments, "--appimage-extract-and-run");
    if (unpacked) {
        arguments[1] = arguments[0];
        arguments++;
    }
    if (getenv("APPIMAGE_EXTRACT_AND_RUN"))
        unpacked = true;
    if ((unpacked || mount_image(image, offset, place) < 0) && unpack_once(image, offset, place) < 0)
        return 1;
    return become(image, place, arguments);
}
