#!/bin/sh
# Compiles the library with Mono and writes the package: pack.sh FOLDER
set -eu
target=$(cd "$1" && pwd)
cd "$(dirname "$0")"
rm -rf .work/package
mkdir -p .work/package/lib/net472
mcs -warnaserror -langversion:7.2 -optimize -target:library \
  -out:.work/package/lib/net472/Sitewire.dll -doc:.work/package/lib/net472/Sitewire.xml src/*.cs
cp Sitewire.nuspec README.md .work/package/
cat > '.work/package/[Content_Types].xml' <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="dll" ContentType="application/octet" />
  <Default Extension="xml" ContentType="application/octet" />
  <Default Extension="md" ContentType="application/octet" />
  <Default Extension="nuspec" ContentType="application/octet" />
</Types>
XML
package="$target/Sitewire.0.1.0.nupkg"
rm -f "$package"
(cd .work/package && zip --quiet --recurse-paths "$package" .)
