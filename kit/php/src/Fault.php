<?php

declare(strict_types=1);

namespace Sitewire;

/** Why a request is not accepted, in the order in which it is judged. */
enum Fault: string
{
    /** A header that is needed is missing or empty. */
    case Missing = 'missing';

    /** A header does not have the required form. */
    case Malformed = 'malformed';

    /** The signed time is too far from this machine's clock. */
    case Outdated = 'outdated';

    /** No secret gives this signature. */
    case Mismatch = 'mismatch';

    /** The signature is genuine, but the body is no `site.ready` event. */
    case InvalidBody = 'invalid-body';
}
