/** How long a dry run counts at most, so that it responds before usual HTTP clients time out. */
export const countDeadlineMs = 8_000
