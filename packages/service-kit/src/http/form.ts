import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';

/** Most bytes of a form: more than the longest e-mail address, password and ticket combined. */
export const MAX_FORM_BYTES = 16 * 1024;
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** A form that is refused. */
export class FormError extends Error {
  override readonly name = 'FormError';
  /** 403, 413 or 415. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The fields of a form that a page of ours, of `publicOrigin`, posted. Throws a FormError for one of another site (403), of
 * another content type (415) and of more than 16 KiB (413).
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
 * Browsers report where a form comes from: Sec-Fetch-Site on secure origins, Origin elsewhere, which is `null` for pages that
 * send no referrer, as ours do. A client that sends neither is not a current browser; the form's token decides then.
 */
function isOurOwn({ headers }: IncomingMessage, publicOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return origin === undefined || origin === 'null' || origin === publicOrigin;
}
