// own_tool, an edit tool for `evals diff --edit-tool 'exec:node own_tool.ts'`: it replaces one text that occurs once.
//
// evals writes requests to standard input and reads replies from standard output: one JSON object on each line, in
// UTF-8. Texts are exact: line ends, a byte order mark, a missing last newline are what they are. What is printed to
// standard error is for people. Change the five functions to make your own tool; docs/foreign-tools.md describes each
// request.
//
// Node 23.6 and later run this file as it is, so do Bun and Deno. For an older Node, take away the types:
// `npx esbuild own_tool.ts --outfile=own_tool.mjs`; or begin without: `evals tool new own_tool.mjs`.

import { createInterface } from "node:readline";

type Arguments = Record<string, unknown>;
type Request = {
  id: number;
  do: string;
  path: string;
  text: string;
  arguments: Arguments;
  message: string;
  before: string;
  after: string;
};
type Outcome = { text: string } | { refused: string; cause: string };

// What models read of the tool: its name, a description, a JSON schema.
function declare(): Record<string, unknown> {
  return {
    evals: 1,
    name: "replace_text",
    description: "Replaces a text in a file by another. The old text must occur exactly once.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, as its path is displayed." },
        old: { type: "string", description: "The text to replace, exactly as it stands in the file." },
        new: { type: "string", description: "What takes its place." },
      },
      required: ["path", "old", "new"],
    },
    path: "path",
    place: "old",
    writes: true,
  };
}

// How a file stands in the conversation.
function show(path: string, text: string): string {
  return `${path}\n\`\`\`\n${text}\n\`\`\``;
}

// The file after a call, or why it is refused; docs/foreign-tools.md lists the causes.
function apply(text: string, args: Arguments): Outcome {
  const old = args.old;
  const fresh = args.new;
  if (typeof old !== "string" || typeof fresh !== "string") {
    return { refused: "`old` or `new` is missing", cause: "missing_param" };
  }
  if (old === "") {
    return { refused: "`old` is empty", cause: "empty_search" };
  }
  const count = text.split(old).length - 1;
  if (count !== 1) {
    return { refused: `\`old\` occurs ${count} times`, cause: count ? "not_unique" : "not_found" };
  }
  const at = text.indexOf(old);
  return { text: text.slice(0, at) + fresh + text.slice(at + old.length) };
}

// What a model reads after a refusal.
function error(message: string): string {
  return `The file was not changed: ${message}. Correct the call and send it again.`;
}

// The arguments by which a right model makes an edit; simulated models and past edits need it.
function write(path: string, before: string, after: string): Arguments {
  const most = Math.min(before.length, after.length);
  let start = 0;
  let end = 0;
  while (start < most && before[start] === after[start]) {
    start += 1;
  }
  while (end < most - start && before[before.length - end - 1] === after[after.length - end - 1]) {
    end += 1;
  }
  const half = (text: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(text.charAt(at));
  // JavaScript counts halves of characters beyond U+FFFF: a cut may not come between two halves.
  const old = (): string => {
    while (start > 0 && (half(before, start) || half(after, start))) {
      start -= 1;
    }
    while (end > 0 && (half(before, before.length - end) || half(after, after.length - end))) {
      end -= 1;
    }
    return before.slice(start, before.length - end);
  };
  // More and more around the change, until it occurs once.
  while ((old() === "" || before.split(old()).length !== 2) && (start > 0 || end > 0)) {
    start = Math.max(0, start - 20);
    end = Math.max(0, end - 20);
  }
  return { path, old: old(), new: after.slice(start, after.length - end) };
}

function answer(request: Request): unknown {
  switch (request.do) {
    case "declare":
      return declare();
    case "show":
      return { text: show(request.path, request.text) };
    case "apply":
      return apply(request.text, request.arguments);
    case "error":
      return { text: error(request.message) };
    default:
      return { arguments: write(request.path, request.before, request.after) };
  }
}

// A request is one line of ASCII, so no line end within a text can end it.
createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line: string) => {
  const request: Request = JSON.parse(line);
  let reply: unknown;
  try {
    reply = { id: request.id, result: answer(request) };
  } catch (failure) {
    reply = { id: request.id, failed: String(failure) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
});
