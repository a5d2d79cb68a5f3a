import { defineConfig } from "prisma/config"

/** Read by `prisma migrate --config prisma/prisma.config.ts` only; the services get their address from DATABASE_URL. */
export default defineConfig({
  schema: "schema.prisma",
  migrations: { path: "migrations" },
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
})
