; NSIS installer for the folder that PyInstaller makes on Windows. It compiles; it has not been run: no Windows machine was at hand.
;   makensis /DVERSION=0.1.0 /DSOURCE=..\..\dist\slipstream packaging\windows\slipstream.nsi
Unicode true
!include "MUI2.nsh"
!ifndef VERSION
  !define VERSION "0.0.0"
!endif
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Slipstream"

Name "Slipstream"
OutFile "Slipstream-${VERSION}-setup.exe"
InstallDir "$LOCALAPPDATA\Programs\Slipstream"
InstallDirRegKey HKCU "Software\Slipstream" "InstallDir"
RequestExecutionLevel user
SetCompressor /SOLID lzma

!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\slipstream-gui.exe"
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Vietnamese"

Section "Slipstream"
  SetOutPath "$INSTDIR"
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Slipstream.lnk" "$INSTDIR\slipstream-gui.exe"
  WriteRegStr HKCU "Software\Slipstream" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "Software\Classes\.gguf\OpenWithProgids" "Slipstream.gguf" ""
  WriteRegStr HKCU "Software\Classes\Slipstream.gguf" "" "GGUF model"
  WriteRegStr HKCU "Software\Classes\Slipstream.gguf\shell\open\command" "" '"$INSTDIR\slipstream-gui.exe" "%1"'
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Slipstream"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\slipstream-gui.exe"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
SectionEnd

; Conversations, settings and models stay: they are the person's.
Section "Uninstall"
  Delete "$SMPROGRAMS\Slipstream.lnk"
  RMDir /r "$INSTDIR\_internal"
  ; The starter model came with the program; others that lie beside it are the person's.
  Delete "$INSTDIR\models\SmolLM2-135M-Instruct.Q4_1.gguf"
  RMDir "$INSTDIR\models"
  Delete "$INSTDIR\slipstream.exe"
  Delete "$INSTDIR\slipstream-gui.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "Software\Classes\Slipstream.gguf"
  DeleteRegValue HKCU "Software\Classes\.gguf\OpenWithProgids" "Slipstream.gguf"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Slipstream"
SectionEnd
