<?php

declare(strict_types=1);

// Laravel of Debian's package php-laravel-framework; an application that Composer made has it in vendor/.
if (stream_resolve_include_path('Illuminate/autoload.php')) {
    require_once 'Illuminate/autoload.php';
}
require __DIR__ . '/../vendor/autoload.php';

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
$app->singleton(Illuminate\Contracts\Http\Kernel::class, Illuminate\Foundation\Http\Kernel::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, Illuminate\Foundation\Console\Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);

return $app;
