<?php

declare(strict_types=1);

$receiver = require __DIR__ . '/receiver.php';
$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);

if ($route === 'POST /webhook') {
    $receiver->respond();
} elseif ($route === 'GET /sites') {
    // Only for the tests of this example: do not publish your customers.
    $sites = array_map(static fn ($file) => json_decode(file_get_contents($file)), glob(__DIR__ . '/sites/*'));
    header('Content-Type: application/json');
    echo json_encode(array_map(static fn ($site) => ['site_url' => $site->site_url, 'name' => $site->name], $sites));
} else {
    http_response_code(404);
}
