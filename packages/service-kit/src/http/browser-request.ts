import type { Request } from 'express';

/** Whether a person's browser asks for a page to read: its Accept prefers HTML to JSON. Programs accept anything, or JSON. */
export function isFromBrowser(request: Request): boolean {
  return ['GET', 'HEAD'].includes(request.method) && request.accepts(['json', 'html']) === 'html';
}
