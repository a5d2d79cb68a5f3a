#!/bin/sh
# Runs the tests on Mono. What they need is fetched into .work/. The last line is `N passed`, or `skipped: REASON` with exit
# code 77.
set -eu
cd "$(dirname "$0")"
mkdir -p .work
skip() { echo "skipped: $1"; exit 77; }

command -v mcs > .work/mcs || skip 'mcs, the compiler of Mono, is not installed'
command -v mono > .work/mono || skip 'mono is not installed'

# The tests are an HTTP client, and Debian has this library in a package of its own.
if [ ! -e .work/System.Net.Http.dll ]; then
  http=$(find /usr/lib/mono/4.5 -name System.Net.Http.dll)
  if [ -z "$http" ]; then
    command -v apt-get > .work/apt-get || skip 'System.Net.Http of Mono is not installed'
    (cd .work && apt-get --quiet --quiet --option APT::Sandbox::User=root download libmono-system-net-http4.0-cil) \
      || skip 'libmono-system-net-http4.0-cil is not installed, and cannot be fetched'
    dpkg --extract .work/libmono-system-net-http4.0-cil_*.deb .work/debian
    http=.work/debian/usr/lib/mono/4.5/System.Net.Http.dll
  fi
  cp -L "$http" .work/
fi

# The examples of the README are compiled with the tests.
rm -f .work/README.*
awk '/^```csharp [A-Z]/ { file = ".work/README." $2 ".cs"; printf "" > file; next } /^```/ { file = "" } file { print > file }' README.md

compile() { mcs -warnaserror -langversion:7.2 -lib:.work "$@"; }
compile -target:library -out:.work/StandIns.dll tests/aspnetcore/StandIns.cs
compile -r:StandIns.dll -target:library -out:.work/Sitewire.dll -doc:.work/Sitewire.xml src/*.cs src/AspNetCore/*.cs
compile -r:Sitewire.dll -r:StandIns.dll -r:System.Net.Http.dll -main:Sitewire.Tests.Runner -out:.work/Sitewire.Tests.exe tests/*.cs .work/README.*.cs

mono .work/Sitewire.Tests.exe
