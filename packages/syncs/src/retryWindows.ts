/** How many windows after a failed or lost run the next one is due, by the number of failures in a row. */
export const retryWindows = [1, 2, 4, 8, 15]
