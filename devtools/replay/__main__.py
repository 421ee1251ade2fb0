from devtools.replay.replaying import main

raise SystemExit(main())
