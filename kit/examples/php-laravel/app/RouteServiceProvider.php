<?php

declare(strict_types=1);

namespace App;

use Illuminate\Foundation\Support\Providers\RouteServiceProvider as ServiceProvider;
use Illuminate\Support\Facades\Route;

final class RouteServiceProvider extends ServiceProvider
{
    public function boot(): void
    {
        // Laravel's default is the prefix /api.
        $this->routes(static fn () => Route::group([], base_path('routes/api.php')));
    }
}
