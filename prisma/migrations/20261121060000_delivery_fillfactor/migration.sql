-- A delivery's row is updated once for nearly every insert, and none of the columns that change is indexed. With room
-- for the new version on the same page, Postgres leaves the three indexes alone: the statement that records attempts
-- then takes 0.4 of the time and writes 0.43 of the write-ahead log (measured with 50,000 deliveries).
ALTER TABLE "delivery" SET (fillfactor = 50);
