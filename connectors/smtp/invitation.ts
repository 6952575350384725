import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { isArray, textOf } from '@fairlead/connector-runtime/templates';

const LINE_BYTES = 75;

/** A meeting request as a calendar file (RFC 5545 and RFC 5546). */
export function invitation(fields: JsonObject, organizer: string): string {
  const { to } = fields;
  const attendees = to !== undefined && isArray(to) ? to.map(textOf) : [];
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Fairlead//SMTP//EN',
    'METHOD:REQUEST',
    'BEGIN:VEVENT',
    `UID:${randomUUID()}`,
    `DTSTAMP:${timeOf(new Date())}`,
    `DTSTART:${timeOf(new Date(textOf(fields['start'] ?? '')))}`,
    `DTEND:${timeOf(new Date(textOf(fields['end'] ?? '')))}`,
    `SUMMARY:${escaped(textOf(fields['subject'] ?? ''))}`,
    ...('location' in fields ? [`LOCATION:${escaped(textOf(fields['location'] ?? ''))}`] : []),
    ...('text' in fields ? [`DESCRIPTION:${escaped(textOf(fields['text'] ?? ''))}`] : []),
    `ORGANIZER:mailto:${addressOf(organizer)}`,
    ...attendees.map((attendee) => `ATTENDEE;RSVP=TRUE:mailto:${addressOf(attendee)}`),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

function timeOf(date: Date): string {
  return date.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\;,]/g, (character) => `\\${character}`).replaceAll(/\r\n|\r|\n/g, '\\n');
}

/** Only the address of `Ada <ada@example.com>`, without characters that could begin another line. */
function addressOf(text: string): string {
  const [, address = text] = /<([^<>]*)>/.exec(text) ?? [];
  return address.replaceAll(/[\s;:]/g, '');
}

/** Lines have at most 75 bytes; continuation lines begin with a space. */
function folded(line: string): string {
  const parts: string[] = [''];
  for (const character of line) {
    const part = `${parts.at(-1) ?? ''}${character}`;
    if (Buffer.byteLength(part) < LINE_BYTES) parts[parts.length - 1] = part;
    else parts.push(character);
  }
  return parts.join('\r\n ');
}
