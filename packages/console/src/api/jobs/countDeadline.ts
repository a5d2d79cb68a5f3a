/** How long a dry run counts at most. Shorter than the time-outs of usual HTTP clients. */
export const countDeadlineMs = 8_000
