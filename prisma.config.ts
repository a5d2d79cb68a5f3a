import { defineConfig } from "prisma/config"

/** Read by the Prisma CLI only (`prisma generate`, `prisma migrate`); the services get their address from DATABASE_URL. */
export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
})
