import type { Request } from 'express';

/** Whether a browser requests a page for a person: its Accept header prefers HTML to JSON. Programs accept anything, or JSON. */
export function isFromBrowser(request: Request): boolean {
  return ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html';
}
