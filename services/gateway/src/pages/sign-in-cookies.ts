/** As long as a sign-in lives; the cookie has no use beyond it. */
const MAX_AGE_SECONDS = 300;
const VALUE = /^[A-Za-z0-9._~-]{1,512}$/;

/** The cookies that bind sign-ins to a browser, one a sign-in so that two at once do not disturb each other. */
export interface SignInCookies {
  /** The Set-Cookie value that keeps `binding` for `state`. Throws for a binding that no cookie can hold. */
  set(state: string, binding: string): string;
  /** The Set-Cookie value that forgets `state`. */
  clear(state: string): string;
  /** What the browser kept for `state`; empty where it kept nothing. */
  read(cookieHeader: string | undefined, state: string): string;
}

/**
 * Cookies of the origin of `publicUrl`: `__Host-` ones where that is https; browsers refuse those on plain http, so
 * there the plain name is used. SameSite=Lax, because the callback is a navigation that the vendor starts.
 */
export function signInCookies(publicUrl: string): SignInCookies {
  const isSecure = new URL(publicUrl).protocol === 'https:';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const nameOf = (state: string) =>
    // A state is a GUID; of anything else nothing may reach a header.
    `${isSecure ? '__Host-' : ''}fairlead-sign-in-${state.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, 64)}`;
  return {
    set(state, binding) {
      if (!VALUE.test(binding)) throw new Error('The browser binding does not fit in a cookie.');
      return `${nameOf(state)}=${binding}; ${attributes}; Max-Age=${MAX_AGE_SECONDS}`;
    },
    clear: (state) => `${nameOf(state)}=; ${attributes}; Max-Age=0`,
    read(cookieHeader = '', state) {
      const prefix = `${nameOf(state)}=`;
      const pair = cookieHeader.split(';').find((part) => part.trim().startsWith(prefix));
      return pair === undefined ? '' : pair.trim().slice(prefix.length);
    },
  };
}
