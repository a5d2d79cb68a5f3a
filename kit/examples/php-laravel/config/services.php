<?php

return [
    'sitewire' => [
        'secrets' => env('SITEWIRE_SECRETS'),
    ],
];
