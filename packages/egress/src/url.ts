import { EgressError } from './error.ts';

/** The parsed URL of an outbound call: http or https, without credentials; anything else throws `invalid_url`. */
export function vetUrl(text: string | URL): URL {
  const url = URL.parse(String(text));
  if (url === null) throw new EgressError('invalid_url', 'The URL is not valid.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new EgressError('invalid_url', 'The URL must be http or https.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new EgressError(
      'invalid_url',
      'The URL contains a user name or password, which belongs in a header.',
    );
  }
  return url;
}
