import dns from "node:dns/promises"
import { syncBuiltinESMExports } from "node:module"

// Loaded into a dispatcher before its own code: its resolvers then query the name server at NAME_SERVER.
const { Resolver } = dns
Object.assign(dns, {
  Resolver: class extends Resolver {
    constructor(...options: ConstructorParameters<typeof Resolver>) {
      super(...options)
      this.setServers([process.env.NAME_SERVER ?? ""])
    }
  },
})
syncBuiltinESMExports()
