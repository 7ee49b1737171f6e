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
const most = Number.MAX_SAFE_INTEGER;
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

// The data of the plots in order, as paths in the JSON.
const span = (field) => (sums) =>
    sums.overTime.spans.flatMap((span) => ((field === "calls" ? span.calls : span.answers) ? [span[field]] : []));
const PLOTS = [
    (sums) => sums.total.limitUse.answersByTenth,
    span("calls"),
    span("truncatedPercent"),
    span("limitPercent"),
    (sums) => {
        const [given, left] = [span("estimatedTokensGiven")(sums), span("estimatedTokensLeftOut")(sums)];
        return given.flatMap((tokens, n) => [tokens, left[n]]);
    },
];

function equal(shown, expected, what) {
    const [a, b] = [JSON.stringify(shown), JSON.stringify(expected)];
    if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

const at = (value, pointer) =>
    pointer.split("/").slice(1).reduce((value, key) => value[key.replaceAll("~1", "/").replaceAll("~0", "~")], value);

// Runs in the page. Returns its numbers, other text, colours and bars.
function look() {
    const seen = (element) => element.checkVisibility() && element.getClientRects().length > 0;
    const numbers = [...document.querySelectorAll("data[data-of]")].map((one) => [one.dataset.of, one.textContent, one.value]);
    const times = [...document.querySelectorAll("time[data-of]")].map((one) => [one.dataset.of, one.dateTime, one.textContent]);
    const cells = [...document.querySelectorAll("td, dd")].map((cell) => {
        const copy = cell.cloneNode(true);
        copy.querySelectorAll("data, time").forEach((one) => one.remove());
        return copy.textContent;
    });
    const channel = (n) => (n / 255 <= 0.04045 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
    const behind = (element) => {
        for (let one = element; one; one = one.parentElement) {
            const colour = parts(getComputedStyle(one).backgroundColor);
            if (colour.length < 4 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const contrast = (element, colour) => {
        const [a, b] = [light(parts(colour)), light(behind(element))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const texts = [...document.body.querySelectorAll("*")].filter((one) => own(one) && seen(one)).map((one) => {
        const colour = one.closest("svg") ? getComputedStyle(one).fill : getComputedStyle(one).color;
        return [one.textContent.trim().slice(0, 40), contrast(one, colour), parseFloat(getComputedStyle(one).fontSize)];
    });
    const plots = [...document.querySelectorAll("figure")].map((figure) => {
        const svg = [...figure.querySelectorAll("svg")].filter(seen);
        const bars = [...svg[0].querySelectorAll("rect")];
        const scale = svg[0].getBoundingClientRect().width / svg[0].viewBox.baseVal.width;
        return {
            shown: svg.length,
            heights: bars.map((bar) => bar.height.baseVal.value),
            contrast: bars.map((bar) => contrast(bar, getComputedStyle(bar).fill)),
            letters: scale * Math.min(...[...svg[0].querySelectorAll("text")].map((one) => parseFloat(getComputedStyle(one).fontSize))),
        };
    });
    const { scrollWidth } = document.documentElement;
    const wide = [...document.querySelectorAll(".table")].filter((one) => seen(one) && one.scrollWidth > one.clientWidth + 1);
    return { title: document.title, scrollWidth, wide: wide.length, numbers, times, cells, texts, plots, scripts: document.scripts.length };
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
    await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
    const page_ = await page.evaluate(look);

    equal(said, [], "the console");
    equal(asked.filter((one) => !one.startsWith("data:")), [url], "requests");
    equal([page_.title, page_.scripts], ["cutline stats", 0], "title and scripts");
    equal(page_.scrollWidth, width, "the width of what is in the page");
    // A table with very large numbers can scroll in its frame.
    if (name === "day") equal(page_.wide, 0, "tables that do not fit");
    for (const [of, text, value] of page_.numbers) {
        equal(text.replaceAll(",", ""), String(value), of);
        equal(Number(value), at(sums, of), of);
    }
    for (const [of, time, text] of page_.times) {
        equal(time, at(sums, of), of);
        equal(text, time.slice(0, 19).replace("T", " "), of);
    }
    equal(page_.cells.filter((text) => /\d/.test(text)), [], "digits that are no number of the JSON");
    const shown = new Set(page_.numbers.map(([of]) => of));
    const missing = [];
    for (const [n, one] of sums.overTime.spans.entries()) {
        const fields = Object.entries(one).filter(([key, value]) => key !== "start" && value !== null);
        if (one.calls && sums.total.answers) {
            missing.push(...fields.map(([key]) => `/overTime/spans/${n}/${key}`).filter((of) => !shown.has(of)));
        }
    }
    if (sums.total.answers) sums.total.limitUse.answersByTenth.forEach((_, n) => {
        const of = `/total/limitUse/answersByTenth/${n}`;
        if (!shown.has(of)) missing.push(of);
    });
    equal(missing, [], "plotted numbers that no table has");

    equal(page_.plots.length, sums.total.answers ? PLOTS.length : 0, "plots");
    for (const [n, plot] of page_.plots.entries()) {
        const values = PLOTS[n](sums);
        equal([plot.shown, plot.heights.length], [1, values.length], `pictures and bars of plot ${n}`);
        const most = Math.max(...values);
        const tallest = Math.max(...plot.heights);
        values.forEach((value, bar) => {
            const off = Math.abs(plot.heights[bar] - (most ? (value / most) * tallest : 0));
            if (off > 2) throw new Error(`plot ${n}: bar ${bar} is ${plot.heights[bar]} of ${tallest} high for ${value} of ${most}`);
        });
        const faint = plot.contrast.filter((ratio) => ratio < MARK_CONTRAST);
        equal(faint, [], `bars of plot ${n} that are hard to see`);
        if (plot.letters < 9) throw new Error(`plot ${n}: letters of ${plot.letters} pixels`);
    }
    const faint = page_.texts.filter(([, ratio, size]) => ratio < TEXT_CONTRAST || size < 9);
    equal(faint, [], "texts that are hard to read");
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
    // A print has dark text, even with a dark screen, and shows the collapsed numbers.
    const page = await running.newPage();
    await page.goto(String(pathToFileURL(path.join(folder, "day.html"))));
    await page.emulateMediaType("print");
    const paper = await page.evaluate(() => [
        getComputedStyle(document.body).color,
        document.querySelector("details table").checkVisibility({ contentVisibilityAuto: true }),
    ]);
    equal(paper, ["rgb(27, 32, 39)", true], "letters and folded numbers on paper");
    const pdf = await page.pdf({ path: pictures && path.join(pictures, "day.pdf") });
    if (pdf.length < 10_000) throw new Error(`a print of ${pdf.length} bytes`);
} finally {
    await running.close();
    rmSync(folder, { recursive: true });
}
console.log(`${Object.keys(FILES).length} pages, ${WIDTHS.length} widths, light and dark: as the JSON says`);
