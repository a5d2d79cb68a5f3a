<?php

return [
    'name' => 'php-laravel',
    'env' => 'production',
    'debug' => false,
    'timezone' => 'UTC',
    'locale' => 'en',
    'providers' => [
        Illuminate\Bus\BusServiceProvider::class,
        Illuminate\Filesystem\FilesystemServiceProvider::class,
        Illuminate\Foundation\Providers\FoundationServiceProvider::class,
        Illuminate\View\ViewServiceProvider::class,
        App\SitewireServiceProvider::class,
        App\RouteServiceProvider::class,
    ],
    'aliases' => [],
];
