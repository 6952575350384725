/** A window as the widget uses it. If it shows another site, only these members are readable. */
export interface Popup {
  /** Also true while the popup is merely unreachable: a page in it sent `Cross-Origin-Opener-Policy`. */
  readonly closed: boolean;
  readonly location: { replace(url: string): void };
  focus(): void;
  close(): void;
}

/** The part of a browser's window that the widget uses; this package is compiled without the types of the DOM. */
export interface Browser {
  readonly location: { assign(url: string): void };
  /** Throws in a browser that denies storage. */
  readonly sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readonly screen: { readonly availWidth: number; readonly availHeight: number };
  open(url: string, name: string, features: string): Popup | null;
  fetch(url: string, options: RequestInit): Promise<Response>;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
  addEventListener(type: string, listener: (event: { readonly origin?: string }) => void): void;
  removeEventListener(type: string, listener: (event: { readonly origin?: string }) => void): void;
}

/** The part of the Storage interface in use. */
interface Storage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}
