import type { Route } from "../route.ts"
import { changeChannel } from "./changeChannel.ts"
import { createChannel } from "./createChannel.ts"
import { createConnection } from "./createConnection.ts"
import { listChannels } from "./listChannels.ts"
import { listConnections } from "./listConnections.ts"
import { listDeliveries } from "./listDeliveries.ts"
import { listSyncs } from "./listSyncs.ts"
import { readChannel } from "./readChannel.ts"
import { readConnection } from "./readConnection.ts"
import { readConnectionAddress } from "./readConnectionAddress.ts"
import { readDelivery } from "./readDelivery.ts"
import { readOpenApi } from "./readOpenApi.ts"
import { readRoot } from "./readRoot.ts"
import { readSnapshot } from "./readSnapshot.ts"
import { replaceConnectionToken } from "./replaceConnectionToken.ts"
import { resendDelivery } from "./resendDelivery.ts"

/** Everything that the console answers. What is not here is a 404. */
export const routes: readonly Route[] = [
  createChannel,
  listChannels,
  readChannel,
  changeChannel,
  createConnection,
  listConnections,
  readConnection,
  readConnectionAddress,
  replaceConnectionToken,
  listSyncs,
  readSnapshot,
  listDeliveries,
  readDelivery,
  resendDelivery,
  readOpenApi,
  readRoot,
]
