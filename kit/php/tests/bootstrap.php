<?php

declare(strict_types=1);

require __DIR__ . '/../.work/vendor/autoload.php';
// Debian's packages have an autoloader each. With Composer's packages, the line above is enough.
if (stream_resolve_include_path('Symfony/Component/HttpFoundation/autoload.php')) {
    require_once 'Symfony/Component/HttpFoundation/autoload.php';
}
require __DIR__ . '/LocalServer.php';
