/** How much a dispatcher may have under way, as it comes: what it is compared with must have as much. */
export const maxInHand = 384
