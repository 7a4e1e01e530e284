// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/color_bar.h"
#include "widgets/oklab.h"
#include "widgets/palette.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <array>
#include <cmath>
#include <limits>

using namespace headscope::widgets;

namespace {

const std::array themes = {Theme::light(), Theme::dark()};

double linear(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}
double encoded(double value)
{
    value = std::clamp(value, 0.0, 1.0);
    return value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

using Matrix = std::array<std::array<double, 3>, 3>;
// Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
constexpr Matrix protan = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix deutan = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix tritan = {
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

QColor seenBy(const Matrix& eye, const QColor& color)
{
    const std::array rgb = {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
    std::array<float, 3> seen = {};
    for (std::size_t i = 0; i < 3; ++i)
        seen[i] = static_cast<float>(encoded(eye[i][0] * rgb[0] + eye[i][1] * rgb[1] + eye[i][2] * rgb[2]));
    return QColor::fromRgbF(seen[0], seen[1], seen[2]);
}

} // namespace

class TestPalette : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oklabGoesThereAndBack();
    void expertsStayApart_data();
    void expertsStayApart();
    void furtherExpertsDifferFromTheirNeighbours();
    void textReadsOnEveryChip();
    void textReadsOnEverySurface();
    void strengthFadesToNeutral();
    void sequentialScaleRisesEvenly();
    void divergingScaleIsSymmetric();
    void scalesTakeAnyValue();
    void themeComesBackFromItsPalette();
    void colorBarPaintsTheWholeRamp();
};

void TestPalette::oklabGoesThereAndBack()
{
    for (const QRgb rgb : {0xff000000U, 0xffffffffU, 0xff123456U, 0xfffde725U, 0xff00ff00U}) {
        const QColor color(rgb);
        QCOMPARE(fromOklab(toOklab(color)).rgb(), color.rgb());
    }
    QVERIFY(std::abs(contrastRatio(Qt::black, Qt::white) - 21) < 1e-9);
}

void TestPalette::expertsStayApart_data()
{
    QTest::addColumn<int>("eye"); // 0 none, then protan, deutan, tritan
    QTest::addColumn<int>("experts");
    QTest::addColumn<double>("distance");
    QTest::newRow("usual vision") << 0 << 16 << 0.07;
    QTest::newRow("protan, the first six") << 1 << 6 << 0.06;
    QTest::newRow("deutan, the first six") << 2 << 6 << 0.06;
    QTest::newRow("tritan, the first six") << 3 << 6 << 0.06;
    QTest::newRow("protan, twelve") << 1 << 12 << 0.04;
    QTest::newRow("deutan, twelve") << 2 << 12 << 0.04;
}

void TestPalette::expertsStayApart()
{
    QFETCH(int, eye);
    QFETCH(int, experts);
    QFETCH(double, distance);
    const std::array<const Matrix*, 4> eyes = {nullptr, &protan, &deutan, &tritan};
    const auto seen = [&](int expert) {
        const auto* matrix = eyes[static_cast<std::size_t>(eye)];
        return matrix ? seenBy(*matrix, expertColor(expert)) : expertColor(expert);
    };
    for (int a = 0; a < experts; ++a)
        for (int b = 0; b < a; ++b)
            QVERIFY2(oklabDistance(seen(a), seen(b)) > distance,
                     qPrintable(QStringLiteral("%1 and %2: %3").arg(a).arg(b).arg(oklabDistance(seen(a), seen(b)))));
}

void TestPalette::furtherExpertsDifferFromTheirNeighbours()
{
    for (int expert = 16; expert < 128; ++expert)
        for (int before = expert - 4; before < expert; ++before)
            QVERIFY(oklabDistance(expertColor(expert), expertColor(before)) > 0.03);
}

void TestPalette::textReadsOnEveryChip()
{
    for (const Theme& theme : themes)
        for (int expert = 0; expert < 64; ++expert)
            for (double strength = 0; strength <= 1; strength += 0.125) {
                const QColor chip = expertColor(expert, strength, theme);
                QVERIFY(contrastRatio(textOn(chip), chip) >= 4.5);
            }
}

void TestPalette::textReadsOnEverySurface()
{
    for (const Theme& theme : themes) {
        for (const QColor& surface : {theme.window, theme.base, theme.masked}) {
            QVERIFY(contrastRatio(theme.text, surface) >= 7);
            QVERIFY(contrastRatio(theme.mutedText, surface) >= 4.5);
            QVERIFY(contrastRatio(theme.error, surface) >= 4.5);
            QVERIFY(contrastRatio(theme.highlight, surface) >= 3); // an outline
        }
        QVERIFY(contrastRatio(theme.highlightText, theme.highlight) >= 4.5);
    }
}

void TestPalette::strengthFadesToNeutral()
{
    for (const Theme& theme : themes) {
        QVERIFY(oklabDistance(expertColor(2, 1, theme), expertColor(2)) < 0.01);
        double last = -1;
        for (const double strength : {0.0, 0.25, 0.5, 1.0}) {
            const double distance = oklabDistance(expertColor(2, strength, theme), theme.neutral);
            QVERIFY(distance > last);
            last = distance;
        }
        QVERIFY(oklabDistance(expertColor(2, 0, theme), theme.neutral) < 0.05);
    }
}

void TestPalette::sequentialScaleRisesEvenly()
{
    constexpr int steps = 64;
    double smallest = 1;
    double largest = 0;
    for (int i = 0; i < steps; ++i) {
        const QColor a = scaleColor(ColorScale::Sequential, i / double(steps), themes[0]);
        const QColor b = scaleColor(ColorScale::Sequential, (i + 1) / double(steps), themes[0]);
        QVERIFY(toOklab(b).lightness > toOklab(a).lightness);
        smallest = std::min(smallest, oklabDistance(a, b));
        largest = std::max(largest, oklabDistance(a, b));
    }
    QVERIFY2(largest < 3 * smallest, qPrintable(QStringLiteral("%1 … %2").arg(smallest).arg(largest)));
}

void TestPalette::divergingScaleIsSymmetric()
{
    for (const Theme& theme : themes)
        for (double d = 0; d <= 0.5; d += 0.05) {
            const double low = toOklab(scaleColor(ColorScale::Diverging, 0.5 - d, theme)).lightness;
            const double high = toOklab(scaleColor(ColorScale::Diverging, 0.5 + d, theme)).lightness;
            QVERIFY(std::abs(low - high) < 0.02);
        }
}

void TestPalette::scalesTakeAnyValue()
{
    for (const auto scale : {ColorScale::Sequential, ColorScale::Diverging}) {
        QCOMPARE(scaleColor(scale, -3, themes[0]), scaleColor(scale, 0, themes[0]));
        QCOMPARE(scaleColor(scale, 1e9, themes[0]), scaleColor(scale, 1, themes[0]));
        QCOMPARE(scaleColor(scale, std::numeric_limits<double>::quiet_NaN(), themes[0]).alpha(), 0);
    }
}

void TestPalette::themeComesBackFromItsPalette()
{
    for (const Theme& theme : themes)
        QCOMPARE(themeOf(theme.palette()), theme);
}

void TestPalette::colorBarPaintsTheWholeRamp()
{
    QImage image(220, 60, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawColorBar(painter, QRectF(10, 4, 200, 50), {ColorScale::Sequential, 0, 1, QStringLiteral("entropy of load")},
                 themes[0]);
    painter.end();
    QVERIFY(colorBarHeight(QFont()) > 20);
    const int y = 4 + QFontMetrics(QFont()).height() + 8;
    QVERIFY(oklabDistance(image.pixelColor(13, y), scaleColor(ColorScale::Sequential, 0.01, themes[0])) < 0.05);
    QVERIFY(oklabDistance(image.pixelColor(206, y), scaleColor(ColorScale::Sequential, 0.99, themes[0])) < 0.05);
}

QTEST_MAIN(TestPalette)
#include "palette_test.moc"
