import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';

/** Maximum bytes of a form: more than the longest e-mail address, password and ticket together. */
export const MAX_FORM_BYTES = 16 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Thrown for a form that is refused. */
export class FormError extends Error {
  override readonly name = 'FormError';
  /** The status: 403, 413 or 415. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The fields of a form that one of our pages (of `publicOrigin`) posted. Throws a FormError for a form of another
 * site (403), another content type (415), or more than 16 KiB (413).
 */
export async function readForm(
  exchange: Pick<Exchange, 'readBody'>,
  request: IncomingMessage,
  publicOrigin: string,
): Promise<URLSearchParams> {
  if (!isOurOwn(request, publicOrigin)) throw new FormError(403, 'The form was sent by another site.');
  if (!FORM_TYPE.test(request.headers['content-type'] ?? ''))
    throw new FormError(415, 'The form has an unsupported content type.');
  const bytes = await exchange.readBody({ atMost: MAX_FORM_BYTES });
  if (bytes === undefined) throw new FormError(413, 'The form is too large.');
  return new URLSearchParams(bytes.toString());
}

/**
 * Browsers report the origin of a form: in Sec-Fetch-Site on secure origins, otherwise in Origin, which is `null` for
 * pages without a referrer, such as ours. A client that sends neither is no current browser; then the form's token
 * decides.
 */
function isOurOwn({ headers }: IncomingMessage, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin === undefined || origin === 'null' || origin === publicOrigin;
}
