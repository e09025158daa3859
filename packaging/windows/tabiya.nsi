; Installs Tabiya for one user; no administrator is needed.
; Made by `cargo xtask dist`, which defines VERSION, NUMBERS (four of them), PUBLISHER, FILES (a folder) and OUT (a file).
Unicode true
; The program and its installer are both 64-bit, so that they see the same registry.
Target amd64-unicode
SetCompressor /SOLID lzma
SetCompressorDictSize 32
!include MUI2.nsh
!include FileFunc.nsh
!include WinMessages.nsh

Name "Tabiya"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Tabiya"
InstallDirRegKey HKCU "Software\Tabiya" "Folder"
VIProductVersion "${NUMBERS}"
VIAddVersionKey "ProductName" "Tabiya"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Tabiya, the universal chess database"
VIAddVersionKey "LegalCopyright" "GPL-3.0-or-later"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Tabiya"
!define CLASSES "Software\Classes"

!define MUI_ICON "${FILES}\tabiya.ico"
!define MUI_UNICON "${FILES}\tabiya.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\tabiya-app.exe"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "Spanish"
!insertmacro MUI_LANGUAGE "French"
!insertmacro MUI_LANGUAGE "Russian"

LangString NameFiles ${LANG_ENGLISH} "Open chess files with Tabiya"
LangString NameFiles ${LANG_GERMAN} "Schachdateien mit Tabiya öffnen"
LangString NameFiles ${LANG_SPANISH} "Abrir archivos de ajedrez con Tabiya"
LangString NameFiles ${LANG_FRENCH} "Ouvrir les fichiers d’échecs avec Tabiya"
LangString NameFiles ${LANG_RUSSIAN} "Открывать шахматные файлы в Tabiya"
LangString NamePath ${LANG_ENGLISH} "Add tabiya to the PATH of the command prompt"
LangString NamePath ${LANG_GERMAN} "tabiya in den PATH der Eingabeaufforderung aufnehmen"
LangString NamePath ${LANG_SPANISH} "Añadir tabiya al PATH del símbolo del sistema"
LangString NamePath ${LANG_FRENCH} "Ajouter tabiya au PATH de l’invite de commandes"
LangString NamePath ${LANG_RUSSIAN} "Добавить tabiya в PATH командной строки"
LangString AboutProgram ${LANG_ENGLISH} "The program and its entry in the start menu."
LangString AboutProgram ${LANG_GERMAN} "Das Programm und sein Eintrag im Startmenü."
LangString AboutProgram ${LANG_SPANISH} "El programa y su entrada en el menú Inicio."
LangString AboutProgram ${LANG_FRENCH} "Le programme et son entrée dans le menu Démarrer."
LangString AboutProgram ${LANG_RUSSIAN} "Программа и её пункт в меню «Пуск»."
LangString AboutFiles ${LANG_ENGLISH} "Open chess databases with a double click, unless another program opens them."
LangString AboutFiles ${LANG_GERMAN} "Schachdatenbanken per Doppelklick öffnen, wenn kein anderes Programm dafür eingestellt ist."
LangString AboutFiles ${LANG_SPANISH} "Un doble clic en una base de datos de ajedrez la abre, si ningún otro programa lo hace."
LangString AboutFiles ${LANG_FRENCH} "Un double clic sur une base d’échecs l’ouvre, si aucun autre programme ne le fait."
LangString AboutFiles ${LANG_RUSSIAN} "Двойной щелчок по шахматной базе открывает её, если её не открывает другая программа."
LangString AboutPath ${LANG_ENGLISH} "For those who type commands."
LangString AboutPath ${LANG_GERMAN} "Für alle, die Befehle tippen."
LangString AboutPath ${LANG_SPANISH} "Para quienes escriben órdenes."
LangString AboutPath ${LANG_FRENCH} "Pour ceux qui tapent des commandes."
LangString AboutPath ${LANG_RUSSIAN} "Для тех, кто вводит команды."

; Offers Tabiya for a type of file. The user's own choice is kept.
!macro Associate EXTENSION
  WriteRegStr HKCU "${CLASSES}\.${EXTENSION}\OpenWithProgids" "Tabiya.Database" ""
!macroend
!macro Dissociate EXTENSION
  DeleteRegValue HKCU "${CLASSES}\.${EXTENSION}\OpenWithProgids" "Tabiya.Database"
!macroend
; A type of file that no program opens yet is opened by Tabiya.
!macro AssociateFree EXTENSION
  !insertmacro Associate "${EXTENSION}"
  ReadRegStr $0 HKCR ".${EXTENSION}" ""
  StrCmp $0 "" 0 +2
    WriteRegStr HKCU "${CLASSES}\.${EXTENSION}" "" "Tabiya.Database"
!macroend
!macro DissociateFree EXTENSION
  !insertmacro Dissociate "${EXTENSION}"
  ReadRegStr $0 HKCU "${CLASSES}\.${EXTENSION}" ""
  StrCmp $0 "Tabiya.Database" 0 +2
    DeleteRegValue HKCU "${CLASSES}\.${EXTENSION}" ""
!macroend
!macro AllExtensions ACTION
  !insertmacro ${ACTION} "pgn"
  !insertmacro ${ACTION} "si5"
  !insertmacro ${ACTION} "si4"
  !insertmacro ${ACTION} "si3"
  !insertmacro ${ACTION} "cbh"
  !insertmacro ${ACTION} "2cbh"
  !insertmacro ${ACTION} "cbv"
  !insertmacro ${ACTION} "cbz"
  !insertmacro ${ACTION} "cbf"
  !insertmacro ${ACTION} "cdp"
  !insertmacro ${ACTION} "jose"
  !insertmacro ${ACTION} "fbk"
  !insertmacro ${ACTION} "ctg"
  !insertmacro ${ACTION} "abk"
  !insertmacro ${ACTION} "epd"
!macroend

Section "Tabiya" Program
  SectionIn RO
  SetOutPath "$INSTDIR"
  File "${FILES}\tabiya.exe"
  File "${FILES}\tabiya-app.exe"
  File "${FILES}\tabiya-fetch.exe"
  File "${FILES}\tabiya.ico"
  File "${FILES}\LICENSE.txt"
  File "${FILES}\NOTICES.txt"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\Tabiya.lnk" "$INSTDIR\tabiya-app.exe" "" "$INSTDIR\tabiya.ico"
  WriteRegStr HKCU "Software\Tabiya" "Folder" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Tabiya"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\tabiya.ico"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${PUBLISHER}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
SectionEnd

Section "$(NameFiles)" Associations
  WriteRegStr HKCU "${CLASSES}\Tabiya.Database" "" "Chess database"
  WriteRegStr HKCU "${CLASSES}\Tabiya.Database\DefaultIcon" "" "$INSTDIR\tabiya.ico"
  WriteRegStr HKCU "${CLASSES}\Tabiya.Database\shell\open\command" "" '"$INSTDIR\tabiya-app.exe" "%1"'
  !insertmacro AllExtensions AssociateFree
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

; Off by default: users who need it know what it is.
Section /o "$(NamePath)" Path
  ReadRegStr $0 HKCU "Environment" "Path"
  WriteRegStr HKCU "Software\Tabiya" "InPath" "1"
  StrCmp $0 "" 0 +3
    WriteRegExpandStr HKCU "Environment" "Path" "$INSTDIR"
    Goto told
  Push $0
  Push "$INSTDIR"
  Call IsInPath
  Pop $1
  StrCmp $1 "yes" told
  WriteRegExpandStr HKCU "Environment" "Path" "$0;$INSTDIR"
told:
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${Program} $(AboutProgram)
  !insertmacro MUI_DESCRIPTION_TEXT ${Associations} $(AboutFiles)
  !insertmacro MUI_DESCRIPTION_TEXT ${Path} $(AboutPath)
!insertmacro MUI_FUNCTION_DESCRIPTION_END

; Takes a path and a folder from the stack, and answers whether the folder is in the path.
Function IsInPath
  Exch $R1
  Exch
  Exch $R0
  Push $R2
  Push $R3
  Push $R4
  StrCpy $R0 ";$R0;"
  StrCpy $R1 ";$R1;"
  StrLen $R2 $R1
  StrCpy $R3 0
  loop:
    StrCpy $R4 $R0 $R2 $R3
    StrCmp $R4 "" no
    StrCmp $R4 $R1 yes
    IntOp $R3 $R3 + 1
    Goto loop
  yes:
    StrCpy $R0 "yes"
    Goto done
  no:
    StrCpy $R0 "no"
  done:
  Pop $R4
  Pop $R3
  Pop $R2
  Exch
  Pop $R1
  Exch $R0
FunctionEnd

; Removes the folder from the path, at any place.
Function un.RemoveFromPath
  ReadRegStr $R0 HKCU "Environment" "Path"
  StrCpy $R0 ";$R0;"
  StrCpy $R1 ";$INSTDIR;"
  StrLen $R2 $R1
  StrCpy $R3 0
  loop:
    StrCpy $R4 $R0 $R2 $R3
    StrCmp $R4 "" done
    StrCmp $R4 $R1 found
    IntOp $R3 $R3 + 1
    Goto loop
  found:
    StrCpy $R5 $R0 $R3
    IntOp $R3 $R3 + $R2
    IntOp $R3 $R3 - 1
    StrCpy $R6 $R0 "" $R3
    StrCpy $R0 "$R5$R6"
    ; Without the semicolons that were added around it.
    StrLen $R2 $R0
    IntOp $R2 $R2 - 2
    StrCpy $R0 $R0 $R2 1
    WriteRegExpandStr HKCU "Environment" "Path" "$R0"
    SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
  done:
FunctionEnd

Section Uninstall
  ReadRegStr $0 HKCU "Software\Tabiya" "InPath"
  StrCmp $0 "1" 0 +2
    Call un.RemoveFromPath
  !insertmacro AllExtensions DissociateFree
  DeleteRegKey HKCU "${CLASSES}\Tabiya.Database"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
  Delete "$SMPROGRAMS\Tabiya.lnk"
  Delete "$INSTDIR\tabiya.exe"
  Delete "$INSTDIR\tabiya-app.exe"
  Delete "$INSTDIR\tabiya-fetch.exe"
  Delete "$INSTDIR\tabiya.ico"
  Delete "$INSTDIR\LICENSE.txt"
  Delete "$INSTDIR\NOTICES.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Tabiya"
SectionEnd
