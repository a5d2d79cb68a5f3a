# Read this with `.`; then `debian_packages FOLDER PACKAGE…` makes Debian's PHP packages usable for the commands that follow,
# without root. For machines that cannot reach Composer's registry. Packages that are installed are not fetched.
debian_packages() {
  folder=$1
  shift
  if [ ! -e "$folder/complete" ]; then
    mkdir -p "$folder/archives" "$folder/usr/lib" "$folder/usr/share" "$folder/conf.d"
    plan=$(apt-get --simulate install --no-install-recommends "$@") || return 1
    wanted=$(echo "$plan" | awk '$1 == "Inst" { print $2 }')
    (cd "$folder/archives" && { [ -z "$wanted" ] || apt-get --quiet --quiet --option APT::Sandbox::User=root download $wanted; }) || return 1
    for archive in "$folder"/archives/*.deb; do
      [ ! -e "$archive" ] || dpkg --extract "$archive" "$folder" || return 1
    done
    # The packages look for each other in the same folder, so it needs those that are installed, too.
    [ ! -d /usr/share/php ] || cp -R --no-clobber /usr/share/php "$folder/usr/share/" || return 1
    # xml needs dom, and xsl is not needed. So the order counts, and the rest is left out.
    for extension in dom simplexml xml xmlwriter zip; do
      find "$folder/usr/lib" -name "$extension.so" -exec echo "extension={}" \;
    done > "$folder/conf.d/packages.ini"
    echo "include_path=.:$folder/usr/share/php" >> "$folder/conf.d/packages.ini"
    touch "$folder/complete"
  fi
  libraries=$(echo "$folder"/usr/lib/*-linux-gnu*)
  export PATH="$folder/usr/bin:$PATH" PHP_INI_SCAN_DIR=":$folder/conf.d"
  export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}
