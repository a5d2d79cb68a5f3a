import { wasEnded } from "@sitewire/database"

/**
 * A statement with several rows reached its time limit, and was undone. With fewer rows it may succeed, so it is not repeated as it
 * is: the batch is halved.
 */
export class BatchTooSlow extends Error {
  constructor(cause: unknown) {
    super("Postgres did not complete the batch within the time limit of statements", { cause })
  }
}

export async function unlessTooSlow<T>(rows: number, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw rows > 1 && wasEnded(error) ? new BatchTooSlow(error) : error
  }
}
