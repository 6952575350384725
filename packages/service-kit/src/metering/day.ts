/** A UTC day, `YYYY-MM-DD`. */
export type Day = string;

/** Number of days with usage, including today; equal to the full days in the execution history. */
export const KEPT_DAYS = 90;

export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The first moment of a day. */
export function startOf(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}
