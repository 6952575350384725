/** Browsers come back from another site within minutes or not at all. */
const MAX_AGE_SECONDS = 300;
const VALUE = /^[A-Za-z0-9._~-]{1,512}$/;

/** Cookies that bind a state to the browser that is sent away with it, one a state so that two at once do not disturb each other. */
export interface StateCookies {
  /** The Set-Cookie value that keeps `binding` for `state` for five minutes. Throws for a binding that no cookie can hold. */
  set(state: string, binding: string): string;
  /** The Set-Cookie value that forgets `state`. */
  clear(state: string): string;
  /** What the browser kept for `state`; empty where it kept nothing. */
  read(cookieHeader: string | undefined, state: string): string;
}

/**
 * Cookies whose names begin with `name`, of the origin of `publicUrl`: `__Host-` ones where that is https; browsers refuse
 * those on plain http, so there the plain name is used. SameSite=Lax, because the other site starts the way back.
 */
export function stateCookies(o: { readonly publicUrl: string; readonly name: string }): StateCookies {
  const isSecure = new URL(o.publicUrl).protocol === 'https:';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const nameOf = (state: string) =>
    // The state comes from an address: nothing but the letters of an id may reach a header.
    `${isSecure ? '__Host-' : ''}${o.name}-${state.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, 64)}`;
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
