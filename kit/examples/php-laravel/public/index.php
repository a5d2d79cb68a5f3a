<?php

declare(strict_types=1);

$kernel = (require __DIR__ . '/../bootstrap/app.php')->make(Illuminate\Contracts\Http\Kernel::class);
$request = Illuminate\Http\Request::capture();
$response = $kernel->handle($request)->send();
$kernel->terminate($request, $response);
