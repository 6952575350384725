// Represents a local time as a Date whose UTC members are those of the local clock.

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;

/** Cached formatters, one per time zone (a few hundred): creating one is expensive. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Whether the text is a time zone of the IANA database. */
export function isTimezone(text: string): boolean {
  // Offsets such as +01:00 are accepted here, but are not zones.
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The local time of an instant, in whole seconds. */
export function wallTimeOf(instant: Date, timezone: string): Date {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return new Date(
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')),
  );
}

/** The instant of a local time: the first one if the clock shows it twice; the end of the gap if it never does. */
export function instantOf(wall: Date, timezone: string): Date {
  const wallMs = wall.getTime();
  // No zone changes its offset by a day or more, or twice within two days.
  const before = offsetAt(wallMs - DAY_MS, timezone);
  const after = offsetAt(wallMs + DAY_MS, timezone);
  const found = [wallMs - before, wallMs - after]
    .filter((ms) => offsetAt(ms, timezone) === wallMs - ms)
    .toSorted((a, b) => a - b)[0];
  if (found !== undefined) return new Date(found);
  // In a gap: the offset increases between these two.
  let [low, high] = [wallMs - after, wallMs - before];
  while (high - low > SECOND_MS) {
    const middle = low + Math.floor((high - low) / 2 / SECOND_MS) * SECOND_MS;
    if (offsetAt(middle, timezone) === before) low = middle;
    else high = middle;
  }
  return new Date(high);
}

/** Local time minus UTC, in milliseconds. */
function offsetAt(ms: number, timezone: string): number {
  const whole = Math.floor(ms / SECOND_MS) * SECOND_MS;
  return wallTimeOf(new Date(whole), timezone).getTime() - whole;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  // Case does not matter.
  const key = timezone.toLowerCase();
  const known = formats.get(key);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(key, format);
  return format;
}
