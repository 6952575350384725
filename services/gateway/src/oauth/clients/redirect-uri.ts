const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Whether a confidential client may have its answers sent there: https, or http on the developer's own machine. */
export function isConfidentialRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || /[#*\s]/.test(text) || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK_HOST.test(url.hostname));
}
