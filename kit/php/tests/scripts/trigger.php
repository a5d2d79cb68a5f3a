<?php

declare(strict_types=1);

// A connector trigger that accepts no call at first. It notes each response in the file CALLS.
$status = match (true) {
    $_SERVER['REQUEST_METHOD'] !== 'POST' => 405,
    $_SERVER['REQUEST_URI'] !== '/connectors/hook/con_1/token/' => 404,
    !file_exists(getenv('CALLS')) => 503,
    default => 202,
};
file_put_contents(getenv('CALLS'), "$status\n", FILE_APPEND);
http_response_code($status);
if ($status === 503) {
    header('Retry-After: 1');
}
