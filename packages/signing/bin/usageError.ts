/** The command line is wrong. Its message says what to do, and quotes no secret. */
export class UsageError extends Error {}
