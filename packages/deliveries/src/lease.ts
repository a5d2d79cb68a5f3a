/** SQL: no attempt may be in flight, because nobody has claimed the row, or its lease has ended. */
export const isFree = "(lease_expires_at is null or lease_expires_at < now())"
