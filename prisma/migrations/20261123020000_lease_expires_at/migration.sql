ALTER TABLE "delivery" RENAME COLUMN "leased_until" TO "lease_expires_at";
