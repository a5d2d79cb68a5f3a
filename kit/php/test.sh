#!/bin/sh
# Runs the tests. What they need is fetched into .work/. The last line is `N passed`, or `skipped: REASON` with exit code 77.
set -eu
cd "$(dirname "$0")"
mkdir -p .work
skip() { echo "skipped: $1"; exit 77; }

command -v php > .work/php || skip 'php is not installed'
php -r 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);' || skip 'PHP 8.1 or newer is needed'
command -v composer > .work/composer || skip 'composer is not installed'
command -v apt-get > .work/apt-get || skip 'PHPUnit and Symfony are fetched as Debian packages, and apt-get is not installed'
. ./debian.sh
debian_packages "$PWD/.work/debian" phpunit php-zip php-symfony-http-foundation || skip 'the Debian packages cannot be fetched'

COMPOSER_VENDOR_DIR=.work/vendor composer --quiet dump-autoload
phpunit --bootstrap tests/bootstrap.php --do-not-cache-result --verbose --log-junit .work/junit.xml tests
php -r '
    $suite = simplexml_load_file(".work/junit.xml")->testsuite;
    echo $suite["tests"] - $suite["skipped"], " passed\n";
'
