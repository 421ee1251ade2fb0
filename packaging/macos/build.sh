#!/usr/bin/env bash
# App bundle, signed and notarised. Untested: no Mac was at hand.
# Needs Xcode's command line tools and, for signing, a Developer ID in the keychain:
#   SIGNING_IDENTITY="Developer ID Application: …" NOTARY_PROFILE=slipstream packaging/macos/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python3 dev.py package
app=dist/Slipstream.app
if [[ -n "${SIGNING_IDENTITY:-}" ]]; then
  find "$app/Contents" \( -name '*.dylib' -o -name '*.so' \) -print0 |
    xargs -0 -n 20 codesign --force --options runtime --timestamp --sign "$SIGNING_IDENTITY"
  codesign --force --options runtime --timestamp --entitlements packaging/macos/entitlements.plist \
    --sign "$SIGNING_IDENTITY" "$app"
  codesign --verify --deep --strict "$app"
fi
hdiutil create -volname Slipstream -srcfolder "$app" -ov -format UDZO dist/Slipstream.dmg
if [[ -n "${NOTARY_PROFILE:-}" ]]; then
  xcrun notarytool submit dist/Slipstream.dmg --keychain-profile "$NOTARY_PROFILE" --wait
  xcrun stapler staple dist/Slipstream.dmg
fi
