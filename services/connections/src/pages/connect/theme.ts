import type { ColorMode, Colors } from '@fairlead/pages/card-style';

/** Appearance of the hosted page, as set by the account. */
export interface Theme {
  readonly mode: ColorMode;
  /** `#rrggbb`; null: the default colour. */
  readonly primaryColor: string | null;
  /** Undefined if there is no logo, or none that a content security policy can name. */
  readonly logo: { readonly url: string; readonly origin: string } | undefined;
}

type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** The background with the least contrast to text in each scheme: the page in the light one, the note in the dark one. */
const GROUNDS = { light: [0xee, 0xf1, 0xf6], dark: [0x21, 0x29, 0x36] } as const;
/** WCAG 2.2, 1.4.3 (AA), with a little more for rounding. */
const MIN_CONTRAST = 4.6;
const STEPS = 50;
const HOVER = 0.15;

/**
 * Colours of a page with this `primaryColor`. Buttons have exactly this colour, with black or white text. Links, marks and outlines get the
 * nearest shade with a contrast of 4.5 on every background of the scheme. Null or an invalid value changes nothing.
 */
export function colorsOf(primaryColor: string | null): Colors {
  const fill = parse(primaryColor ?? '');
  if (fill === undefined) return { light: '', dark: '' };
  const onFill = contrast(fill, WHITE) >= contrast(fill, BLACK) ? WHITE : BLACK;
  const fills = [
    `--fill:${hex(fill)}`,
    // Shaded away from the text colour, so that the contrast grows.
    `--fill-strong:${hex(mix(fill, onFill === WHITE ? BLACK : WHITE, HOVER))}`,
    `--on-fill:${hex(onFill)}`,
  ];
  const colors = (ground: Rgb, towards: Rgb): string =>
    [`--accent:${hex(readable(fill, ground, towards))}`, ...fills].join(';');
  return { light: colors(GROUNDS.light, BLACK), dark: colors(GROUNDS.dark, WHITE) };
}

/** The first shade between `color` and `towards` that is readable on `ground`. */
function readable(color: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step += 1) {
    const shade = mix(color, towards, step / STEPS);
    if (contrast(shade, ground) >= MIN_CONTRAST) return shade;
  }
  return towards;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2): number => Math.round(one[index] + (other[index] - one[index]) * share);
  return [at(0), at(1), at(2)];
}

/** The contrast ratio of two colours, 1 to 21. Source: WCAG 2.2. */
export function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = [linear(color[0]), linear(color[1]), linear(color[2])];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Parses `#rrggbb`; undefined for anything else. */
export function parse(text: string): Rgb | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return undefined;
  const at = (start: number): number => Number.parseInt(text.slice(start, start + 2), 16);
  return [at(1), at(3), at(5)];
}

function hex(color: Rgb): string {
  return `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
