/** A narrow no-break space. */
const THIN = '\u202F';
const KIB = 1024;

/**
 * The value of a constant for people; its unit is given, or is the suffix of its name. Throws Error for a value that cannot be formatted
 * so.
 */
export function shown(path: string, unit: string | undefined, value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return listed(value.map((item) => shown(path, unit, item)));
  if (typeof value !== 'number') throw new Error(`${path} is no number.`);
  switch (unit ?? unitOf(path)) {
    case 'bytes':
      return bytes(value);
    case 'mebibytes':
      return bytes(value * KIB * KIB);
    case 'ms':
      return duration(value);
    case 'seconds':
      return duration(value * 1_000);
    case 'percent':
      return `${value * 100}${THIN}%`;
    case 'plain':
      return String(value);
    case 'count':
      return count(value);
    default:
      throw new Error(`${path}: there is no unit ${unit}.`);
  }
}

function unitOf(path: string): string {
  if (/bytes$/i.test(path)) return 'bytes';
  if (path.endsWith('Mb')) return 'mebibytes';
  if (/(?:^|_)MS$|Ms$/.test(path)) return 'ms';
  return /(?:^|_)SECONDS$|Seconds$/.test(path) ? 'seconds' : 'count';
}

function count(value: number): string {
  return String(value).replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, THIN);
}

function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  let power = 0;
  while (power < 3 && value >= KIB ** (power + 1) && Number.isInteger((value * 100) / KIB ** (power + 1)))
    power += 1;
  return `${count(value / KIB ** power)}${THIN}${units[power] ?? ''}`;
}

function duration(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['days', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ];
  const [name, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${count(ms / size)}${THIN}${name}`;
}

function listed(items: readonly string[]): string {
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
