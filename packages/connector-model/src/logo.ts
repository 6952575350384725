import { createHash } from 'node:crypto';

/** A brand icon: an SVG path in a square of 24 units, and the brand's colour as six hexadecimal digits. */
export interface Icon {
  readonly color: string;
  readonly path: string;
}

/** Icons by name. */
export type Icons = ReadonlyMap<string, Icon>;

/** Tile colours for letters; white is legible on each. */
const LETTER_COLORS = ['1D4ED8', '0F766E', '7C3AED', 'B45309', 'BE123C', '15803D', '4338CA', 'A21CAF'];
const DARK = '14181F';
const WHITE = 'FFFFFF';
/** On a tile with a higher luminance, the icon is dark. */
const LIGHT_TILE = 0.4;

/**
 * The logo of an application: a tile in the brand's colour with its icon, or else with the first letter of the name.
 * It is a data URL, so that showing it sends no request to another host.
 */
export function logoUrlOf(
  application: { readonly slug: string; readonly name: string },
  icon?: Icon,
): string {
  return `data:image/svg+xml,${encoded(icon === undefined ? letterTile(application) : iconTile(icon))}`;
}

/** The default icon name of an application. */
export function iconNameOf(slug: string): string {
  return slug.replaceAll('-', '');
}

function iconTile({ color, path }: Icon): string {
  const ink = luminanceOf(color) > LIGHT_TILE ? DARK : WHITE;
  return tile(color, `<path transform='translate(9.6 9.6) scale(1.2)' fill='#${ink}' d='${path}'/>`);
}

function letterTile({ slug, name }: { readonly slug: string; readonly name: string }): string {
  const letter = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? '?';
  const [byte = 0] = createHash('sha256').update(slug).digest();
  const color = LETTER_COLORS[byte % LETTER_COLORS.length] ?? DARK;
  const look = `font-family='system-ui,sans-serif' font-size='26' font-weight='600' fill='#${WHITE}'`;
  return tile(color, `<text x='24' y='33' text-anchor='middle' ${look}>${letter}</text>`);
}

function tile(color: string, content: string): string {
  return `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 48 48'><rect width='48' height='48' rx='10' fill='#${color}'/>${content}</svg>`;
}

/** Relative luminance as WCAG defines it. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.039_28 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Percent-encodes the characters that a data URL must not contain. */
function encoded(svg: string): string {
  return encodeURIComponent(svg).replaceAll(/%(?:2C|2F|3A|3B|3D)/g, decodeURIComponent);
}
