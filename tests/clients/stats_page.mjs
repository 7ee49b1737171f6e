// Tests the page of `cutline stats --html` in a real browser: its content, its requests and its appearance.
//
//     node stats_page.mjs CUTLINE NODE_MODULES BROWSER [FOLDER]
//
// Each page is opened at 400 and 1400 pixels, light and dark. With FOLDER, screenshots are saved there.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [cutline, modules, browser, pictures] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, "x.js"));
const puppeteer = await import(pathToFileURL(require.resolve("puppeteer-core")));
const fixtures = fileURLToPath(new URL("../../fixtures/stats/", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "cutline-stats-page-"));

const WIDTHS = [400, 1400];
const SCHEMES = ["light", "dark"];
// Minimum contrast of WCAG, for text and for graphics.
const TEXT_CONTRAST = 4.5;
const MARK_CONTRAST = 3;

function record(n, facts) {
    const time = new Date(Date.UTC(2026, 10, 20) + n * 61_000).toISOString();
    const answered = {
        truncatedBy: null, countLimitReached: false, outputLines: 1, outputBytes: 40, totalLines: 1, totalBytes: 40,
        totalIsLowerBound: false, limitPercent: 7, tokensGiven: 10, tokensLeftOut: 0,
    };
    return JSON.stringify({ time, tool: "read", durationMs: 1.5, outcome: "ok", ...answered, ...facts });
}

const HOSTILE = [
    "<script>document.title='owned'</script>", "</style><img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>",
    "&lt;b&gt;", "a/b~c", "'-alert(1)-'", "\u202Eevil", "工具", "long_" + "x".repeat(300),
];
const most = 999_999_999_999;
const large = {
    outputLines: most, outputBytes: most, totalLines: most, totalBytes: most, tokensGiven: most, tokensLeftOut: most,
    durationMs: 86_400_000, limitPercent: 100, truncatedBy: "bytes", totalIsLowerBound: true,
};
const error = '{"time":"2026-11-20T10:00:00.000Z","tool":"ls","durationMs":0.25,"outcome":"error"}';
const FILES = {
    day: readFileSync(path.join(fixtures, "day.jsonl"), "utf8"),
    broken: readFileSync(path.join(fixtures, "broken.jsonl"), "utf8"),
    one: record(0, { limitPercent: 100, truncatedBy: "lines", tokensLeftOut: 90, totalBytes: 400 }),
    errors: error,
    empty: "",
    hostile: HOSTILE.map((tool, n) => record(n, { tool, limitPercent: n * 12 })).join("\n"),
    large: record(0, {}) + "\n" + record(100_000, large),
};

function equal(shown, expected, what) {
    const [a, b] = [JSON.stringify(shown), JSON.stringify(expected)];
    if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

// Returns the rows that the table must have, as numbers.
function rows(sums) {
    const row = (name, one) => [
        name, one.calls, one.errors, one.truncated.percent, one.limitUse.meanPercent, one.given.bytes / 1000,
        one.leftOut.bytes / 1000, one.given.estimatedTokens, one.leftOut.estimatedTokens, one.durationMs.median,
        one.durationMs.p95,
    ];
    return [...Object.entries(sums.tools), ["all", sums.total]].map(([name, one]) => row(name, one));
}

// Returns the percentages that the two plots must have.
function plots(sums, tool) {
    const spans = sums.overTime.spans.map(({ tools }) => (tool ? [tools[tool]].filter(Boolean) : Object.values(tools)));
    const sum = (span, key) => span.reduce((sum, one) => sum + one[key], 0);
    const answered = spans.filter((span) => sum(span, "answers"));
    return [
        answered.map((span) => (100 * sum(span, "truncated")) / sum(span, "answers")),
        answered.map((span) => sum(span, "limitPercents") / sum(span, "answers")),
    ];
}

// Runs in the page. Returns its table, bars and colours.
function look() {
    const channel = (n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4);
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\d.]+/g).map((n) => channel(Number(n)));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (colour) => {
        const [a, b] = [light(colour), light(getComputedStyle(document.body).backgroundColor)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const texts = [...document.body.querySelectorAll("h1, h2, p, th, td, label, text")].filter(own);
    const style = (element) => getComputedStyle(element);
    return {
        scrollWidth: document.documentElement.scrollWidth,
        rows: [...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)),
        heights: [...document.querySelectorAll("svg")].map((svg) =>
            [...svg.querySelectorAll("rect")].map((bar) => bar.height.baseVal.value)),
        outside: [...document.querySelectorAll("svg")].filter((svg) => svg.getBBox().width > svg.clientWidth).length,
        bars: [...document.querySelectorAll("rect")].map((bar) => contrast(style(bar).fill)),
        texts: texts.map((one) => [one.textContent.slice(0, 40), contrast(one.closest("svg") ? style(one).fill : style(one).color)]),
    };
}

function checkPlots(heights, sums, tool) {
    const expected = plots(sums, tool);
    equal(heights.map((bars) => bars.length), expected.map((bars) => bars.length), `number of bars for ${tool || "all"}`);
    const highest = 150;
    expected.flat().forEach((percent, n) => {
        const height = heights.flat()[n];
        if (Math.abs(height - (percent / 100) * highest) > 0.5) throw new Error(`a bar of ${height} for ${percent}%`);
    });
}

async function check(page, name, sums, width, scheme) {
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("dialog", (dialog) => said.push(dialog.message()));
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const url = String(pathToFileURL(path.join(folder, `${name}.html`)));
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(url, { waitUntil: "networkidle0" });
    if (pictures) await page.screenshot({ path: path.join(pictures, `${name}-${width}-${scheme}.png`), fullPage: true });
    const found = await page.evaluate(look);

    equal(said, [], "the console");
    equal(asked.filter((one) => !one.startsWith("data:")), [url], "requests");
    equal(await page.title(), "cutline stats", "the title");
    equal([found.scrollWidth, found.outside], [width, 0], "the width of what is in the page");
    const number = (text) => (text === "–" ? null : Number(text.replace("+", "").replaceAll(",", "")));
    const near = (number) => (number === null ? null : Math.round(number * 10) / 10);
    const expected = rows(sums).map(([tool, ...numbers]) => [tool, ...numbers.map(near)]);
    equal(found.rows.map(([tool, ...cells]) => [tool, ...cells.map(number)]), expected, "the table");
    checkPlots(found.heights, sums, "");
    for (const tool of Object.keys(sums.tools)) {
        await page.select("select", tool);
        checkPlots((await page.evaluate(look)).heights, sums, tool);
    }
    equal(found.bars.filter((ratio) => ratio < MARK_CONTRAST), [], "bars that are hard to see");
    equal(found.texts.filter(([, ratio]) => ratio < TEXT_CONTRAST), [], "texts that are hard to read");
}

// As root and in containers, the sandbox of the browser is not available.
const running = await puppeteer.launch({ executablePath: browser, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
try {
    for (const [name, lines] of Object.entries(FILES)) {
        const records = path.join(folder, `${name}.jsonl`);
        writeFileSync(records, lines);
        execFileSync(cutline, ["stats", records, "--html", path.join(folder, `${name}.html`)]);
        const sums = JSON.parse(execFileSync(cutline, ["stats", records, "--json"], { maxBuffer: 1 << 26 }));
        for (const width of WIDTHS) {
            for (const scheme of SCHEMES) {
                const page = await running.newPage();
                await check(page, name, sums, width, scheme).catch((error) => {
                    throw new Error(`${name} at ${width}, ${scheme}: ${error.message}`);
                });
                await page.close();
            }
        }
    }
} finally {
    await running.close();
    rmSync(folder, { recursive: true });
}
console.log(`${Object.keys(FILES).length} pages, ${WIDTHS.length} widths, light and dark: as the JSON says`);
