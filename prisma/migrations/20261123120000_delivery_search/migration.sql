-- Nothing in this migration uses the new value: a transaction cannot use an enum value that it adds.
ALTER TYPE "delivery_state" ADD VALUE 'cancelled' BEFORE 'erased';

ALTER TABLE "attempt" ADD COLUMN "url" TEXT,
ADD COLUMN "request_headers" TEXT;

-- Set when an attempt fails.
ALTER TABLE "delivery" ADD COLUMN "last_error" TEXT,
ADD COLUMN "last_status" INTEGER,
-- Null for deliveries that are new or succeeded at their first attempt, so their updates stay heap-only.
ADD COLUMN "state_error" TEXT,
-- For searches by reference and site. Null in erased deliveries, and in those that were stored before this migration.
ADD COLUMN "reference_key" BYTEA,
ADD COLUMN "site_key" BYTEA;

-- A trigger, so that no statement can forget the column. Its conditions are evaluated without calling the function.
CREATE FUNCTION set_state_error() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.state_error := CASE
    WHEN NEW.last_error IS NOT NULL OR NEW.state NOT IN ('pending', 'delivered')
      OR NEW.state = 'pending' AND (NEW.deferred_at IS NOT NULL OR NEW.next_attempt_at IS NOT NULL)
    THEN NEW.state::text || ':' || coalesce(NEW.last_error, '') END;
  RETURN NEW;
END
$$;
CREATE TRIGGER delivery_inserted BEFORE INSERT ON "delivery" FOR EACH ROW
  WHEN (NEW.state <> 'pending' OR NEW.deferred_at IS NOT NULL OR NEW.next_attempt_at IS NOT NULL OR NEW.last_error IS NOT NULL)
  EXECUTE FUNCTION set_state_error();
CREATE TRIGGER delivery_updated BEFORE UPDATE ON "delivery" FOR EACH ROW
  WHEN (NEW.state NOT IN ('pending', 'delivered') OR NEW.deferred_at IS NOT NULL OR NEW.next_attempt_at IS NOT NULL
        OR NEW.last_error IS NOT NULL OR OLD.state_error IS NOT NULL)
  EXECUTE FUNCTION set_state_error();

UPDATE "delivery" SET "state_error" = NULL
 WHERE "state" NOT IN ('pending', 'delivered') OR "deferred_at" IS NOT NULL OR "next_attempt_at" IS NOT NULL;

CREATE INDEX "delivery_state_error_idx" ON "delivery"("state_error", "id") WHERE "state_error" IS NOT NULL;
CREATE INDEX "delivery_channel_state_error_idx" ON "delivery"("channel_id", "state_error", "id")
  WHERE "state_error" IS NOT NULL;
CREATE INDEX "delivery_reference_idx" ON "delivery"("reference_key", "id");
CREATE INDEX "delivery_site_idx" ON "delivery"("site_key", "id");
