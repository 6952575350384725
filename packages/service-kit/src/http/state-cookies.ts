/** Lifetime; browsers return from another site within minutes or not at all. */
const DEFAULT_AGE_SECONDS = 300;
const VALUE = /^[A-Za-z0-9._~-]{1,2048}$/;

/**
 * Cookies that bind a state to the browser that is redirected to another site. There is one per state, so concurrent
 * ones do not interfere.
 */
export interface StateCookies {
  /**
   * The Set-Cookie value that stores `binding` for `state`, for `ageSeconds` (default: five minutes). Throws for a
   * binding that cannot be in a cookie.
   */
  set(state: string, binding: string, ageSeconds?: number): string;
  /** The Set-Cookie value that deletes the cookie of `state`. */
  clear(state: string): string;
  /** The browser's binding for `state`; empty if it sent none. */
  read(cookieHeader: string | undefined, state: string): string;
}

/**
 * Cookies whose names begin with `name`, for the origin of `publicUrl`. With https they have the prefix `__Host-`,
 * which browsers refuse on plain http. SameSite=Lax, because the other site starts the return.
 */
export function stateCookies(o: { readonly publicUrl: string; readonly name: string }): StateCookies {
  const isSecure = new URL(o.publicUrl).protocol === 'https:';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const nameOf = (state: string) =>
    // The state comes from a URL, so only characters of an id may reach a header.
    `${isSecure ? '__Host-' : ''}${o.name}-${state.replaceAll(/[^A-Za-z0-9_-]/g, '').slice(0, 64)}`;
  return {
    set(state, binding, ageSeconds = DEFAULT_AGE_SECONDS) {
      if (!VALUE.test(binding)) throw new Error('The browser binding does not fit in a cookie.');
      return `${nameOf(state)}=${binding}; ${attributes}; Max-Age=${ageSeconds}`;
    },
    clear: (state) => `${nameOf(state)}=; ${attributes}; Max-Age=0`,
    read(cookieHeader = '', state) {
      const prefix = `${nameOf(state)}=`;
      const pair = cookieHeader.split(';').find((part) => part.trim().startsWith(prefix));
      return pair === undefined ? '' : pair.trim().slice(prefix.length);
    },
  };
}
