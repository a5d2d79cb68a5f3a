<?php

declare(strict_types=1);

namespace Sitewire;

/** The headers that a delivery is verified by. Both are in every delivery, unless Standard Webhooks is off for the channel. */
enum Scheme: string
{
    /** `X-Sitewire-Signature`: covers the body. */
    case Sitewire = 'sitewire';

    /** `webhook-id`, `webhook-timestamp`, `webhook-signature`: cover the body, the id and the time of the attempt. */
    case StandardWebhooks = 'standard-webhooks';
}
