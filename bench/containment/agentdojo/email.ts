import * as z from 'zod';
import { type Tool, tool } from '../../../src/tools/tool.ts';

export interface Email {
  id_: string;
  sender: string;
  recipients: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  body: string;
  status: 'received' | 'sent' | 'draft';
  read: boolean;
  timestamp: string;
  /** Ids of files. */
  attachments: string[];
}

const Email: z.ZodType<Email> = z.object({
  id_: z.string(),
  sender: z.string(),
  recipients: z.array(z.string()),
  cc: z.array(z.string()).default([]),
  bcc: z.array(z.string()).default([]),
  subject: z.string(),
  body: z.string(),
  status: z.enum(['received', 'sent', 'draft']),
  read: z.boolean().default(true),
  timestamp: z.string(),
  attachments: z.array(z.string()).default([]),
});

export const Inbox: z.ZodType<Inbox> = z.object({
  account_email: z.string(),
  initial_emails: z.array(Email),
  trash: z.array(Email).default([]),
});
export interface Inbox {
  account_email: string;
  initial_emails: Email[];
  trash: Email[];
}

/** The id that the next email will get. */
export function nextEmailId({ initial_emails }: Inbox): string {
  return String(Math.max(0, ...initial_emails.map(({ id_ }) => Number(id_))) + 1);
}

type Draft = Pick<Email, 'recipients' | 'subject' | 'body'> & Partial<Pick<Email, 'attachments' | 'cc' | 'bcc'>>;

export function deliver(inbox: Inbox, draft: Draft): Email {
  const sent: Email = {
    id_: nextEmailId(inbox),
    sender: inbox.account_email,
    cc: [],
    bcc: [],
    attachments: [],
    status: 'sent',
    read: true,
    timestamp: '2024-05-15T12:00:00',
    ...draft,
  };
  inbox.initial_emails.push(sent);
  return sent;
}

const addresses = z.array(z.string());

export function sendEmail(inbox: () => Inbox): Tool {
  return tool({
    name: 'send_email',
    description: 'Sends an email with attachments that are files of the drive.',
    input: z.object({
      recipients: addresses,
      subject: z.string(),
      body: z.string(),
      attachments: z.array(z.object({ type: z.literal('file'), file_id: z.string() })).optional(),
      cc: addresses.optional(),
      bcc: addresses.optional(),
    }),
    effect: 'irreversible',
    run: ({ attachments = [], cc = [], bcc = [], ...draft }) =>
      deliver(inbox(), { ...draft, cc, bcc, attachments: attachments.map(({ file_id }) => file_id) }),
  });
}

export function emailTools(inbox: () => Inbox): Tool[] {
  const nothing = z.object({});
  return [
    sendEmail(inbox),
    tool({
      name: 'delete_email',
      description: 'Deletes the email with this id.',
      input: z.object({ email_id: z.string() }),
      effect: 'irreversible',
      run: ({ email_id }) => {
        const box = inbox();
        const at = box.initial_emails.findIndex(({ id_ }) => id_ === email_id);
        if (at < 0) throw new Error(`there is no email with the id ${email_id}`);
        box.trash.push(...box.initial_emails.splice(at, 1));
        return `Email ${email_id} was deleted.`;
      },
    }),
    tool({
      name: 'get_unread_emails',
      description: 'Gives the unread emails and marks them as read.',
      input: nothing,
      effect: 'read',
      run: () => {
        const unread = inbox().initial_emails.filter(({ read }) => !read);
        for (const email of unread) email.read = true;
        return unread;
      },
    }),
    ...(['sent', 'received', 'draft'] as const).map((status) =>
      tool({
        name: `get_${status}_emails`,
        description: `Gives all emails with the status ${status}.`,
        input: nothing,
        effect: 'read',
        run: () => inbox().initial_emails.filter((email) => email.status === status),
      }),
    ),
    tool({
      name: 'search_emails',
      description: 'Finds emails by a text in subject or body, and by their sender.',
      input: z.object({ query: z.string(), sender: z.string().optional() }),
      effect: 'read',
      run: ({ query, sender }) => {
        const wanted = query.toLowerCase();
        const found = inbox().initial_emails.filter(
          (email) =>
            (sender === undefined || email.sender.toLowerCase() === sender.toLowerCase()) &&
            `${email.subject}\n${email.body}`.toLowerCase().includes(wanted),
        );
        if (found.length === 0) throw new Error('no email fits; try another query');
        return found;
      },
    }),
    ...(['name', 'email'] as const).map((field) =>
      tool({
        name: `search_contacts_by_${field}`,
        description: `Finds people of earlier emails by their ${field}.`,
        input: z.object({ query: z.string() }),
        effect: 'read',
        run: ({ query }) => {
          const wanted = query.toLowerCase();
          const found = contacts(inbox()).filter((contact) => contact[field].toLowerCase().includes(wanted));
          if (found.length === 0) throw new Error(`no contact has the ${field} ${query}`);
          return found;
        },
      }),
    ),
  ];
}

function contacts({ initial_emails }: Inbox): { email: string; name: string }[] {
  const all = initial_emails.flatMap(({ sender, recipients, cc, bcc }) => [sender, ...recipients, ...cc, ...bcc]);
  return [...new Set(all)].map((email) => ({ email, name: nameOf(email) }));
}

/** `ada.king@example.org` is Ada King. */
function nameOf(email: string): string {
  const words = (email.split('@')[0] ?? '').split('.');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}
