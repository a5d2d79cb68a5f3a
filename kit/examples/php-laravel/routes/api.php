<?php

declare(strict_types=1);

use App\SiteStore;
use Illuminate\Support\Facades\Route;
use Sitewire\SymfonyReceiver;

// Not in routes/web.php, whose routes ask for a CSRF token.
Route::post('/webhook', SymfonyReceiver::class);

// Only for the tests of this example: do not publish your customers.
Route::get('/sites', static fn () => SiteStore::all());
