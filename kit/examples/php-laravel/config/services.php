<?php

return [
    'sitewire' => [
        'secrets' => env('SITEWIRE_SECRETS'),
        'scheme' => env('SITEWIRE_SCHEME', 'sitewire'),
    ],
];
